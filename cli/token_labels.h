/* token_labels.h - the tokens of an example as a reader may see them: nothing that a terminal would obey, cut when
   long, and numbered (dog#1, dog#2) when one stands more than once. */
#ifndef TOKEN_LABELS_H
#define TOKEN_LABELS_H

#include "attend/files.h"

/* T texts, then NULL; NULL when there is no memory. */
char **token_labels_make(const attend_example *example);
void token_labels_free(char **labels);

/* Index of the token that name means: the token itself, TOKEN#2 for its second place, #3 for the third place of all.
   -1 when there is none, -2 when it stands more than once. */
int64_t token_find(const attend_example *example, const char *name);

#endif

/* fragment_text.h - an example as the page's address says it: the way back from fragment.h. */
#ifndef FRAGMENT_TEXT_H
#define FRAGMENT_TEXT_H

#include "attend/files.h"

/* "#tokens=it,was&q=2,0;0,1&...", to be freed; NULL when there is no memory. */
char *fragment_text(const attend_example *example);

#endif

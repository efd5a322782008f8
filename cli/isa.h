/* isa.h - the instruction set that --isa or the environment names, and contexts on it. */
#ifndef CLI_ISA_H
#define CLI_ISA_H

#include "attend/attend.h"

enum { ISAS_MAX = 32 };

/* Every name that an option of instruction sets takes, and how many. */
int isa_names(const char *names[ISAS_MAX]);

/* What the option asks for; CLI_USAGE after a message. */
int isa_parse(const char *option, const char *text, attend_isa *isa);

/* A context of config.  isa_option NULL: --isa was not given, and the variable ATTEND_ISA counts, if it is not empty.
   CLI_DONE, or CLI_USAGE or CLI_FAILED after a message. */
int isa_context(attend_config config, const char *isa_option, attend_ctx **ctx);

#endif

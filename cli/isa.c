#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { LIST_MAX = 256 };

static int isa_count(void) {
    int count = 0;
    while (count < ISAS_MAX && strcmp(attend_isa_name((attend_isa)count), "unknown") != 0)
        count++;
    return count;
}

int isa_names(const char *names[ISAS_MAX]) {
    int count = isa_count();
    for (int n = 0; n < count; n++)
        names[n] = attend_isa_name((attend_isa)n);
    return count;
}

int isa_parse(const char *option, const char *text, attend_isa *isa) {
    const char *names[ISAS_MAX];
    int choice;
    if (cli_parse_choice(option, text, names, isa_names(names), &choice) != CLI_DONE)
        return CLI_USAGE;
    *isa = (attend_isa)choice;
    return CLI_DONE;
}

/* Says what is missing, and what there is. */
static int refuse(const char *option, attend_isa isa) {
    char list[LIST_MAX] = "";
    for (int n = ATTEND_ISA_BEST + 1; n < isa_count(); n++) {
        attend_config config = attend_config_init();
        attend_ctx *ctx = NULL;
        size_t length = strlen(list);
        config.isa = n;
        if (attend_ctx_create(&config, &ctx) == ATTEND_OK)
            snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", attend_isa_name((attend_isa)n));
        attend_ctx_destroy(ctx);
    }
    return cli_usage_error("%s: this machine has no %s; it has %s", option, attend_isa_name(isa), list);
}

int isa_context(attend_config config, const char *isa_option, attend_ctx **ctx) {
    const char *wish = getenv("ATTEND_ISA");
    attend_isa isa = (attend_isa)config.isa;
    if (isa_option == NULL && wish != NULL && wish[0] != 0) {
        isa_option = "ATTEND_ISA";
        if (isa_parse(isa_option, wish, &isa) != CLI_DONE)
            return CLI_USAGE;
    }
    config.isa = (int32_t)isa;
    attend_status status = attend_ctx_create(&config, ctx);
    if (status == ATTEND_UNSUPPORTED)
        return refuse(isa_option, isa);
    return status == ATTEND_OK ? CLI_DONE : cli_library_error(NULL, status);
}

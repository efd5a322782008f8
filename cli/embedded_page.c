#include "embedded_page.h"

#include "cli.h"
#include "page_embedded.h"

const server_page *embedded_page(void) {
    static const server_page page = {page_text, sizeof page_text - 1, page_policy};
    if (page.length > 0)
        return &page;
    cli_failure("this program was built without the page: run `make page`, then `make build`");
    return NULL;
}

#include "attend/attend.h"

#define TEXT_OF(number) #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

uint32_t attend_version(void) {
    return (uint32_t)ATTEND_VERSION_MAJOR << 16 | (uint32_t)ATTEND_VERSION_MINOR << 8 | ATTEND_VERSION_PATCH;
}

const char *attend_version_text(void) {
    return DOTTED(ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR, ATTEND_VERSION_PATCH);
}

#include "attend/attend.h"

const char *attend_status_name(attend_status status) {
    switch (status) {
#define AT_STATUS(constant, name) \
    case constant: return name;
#include "base/status.def"
#undef AT_STATUS
    }
    return "unknown";
}

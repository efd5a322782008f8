# How every file of the project is compiled.

# GNU C allows a*b+c to become one fused operation, which would make results depend on the compiler: off.
function(attend_compile target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -ffp-contract=off
        -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
        $<$<BOOL:${ATTEND_WERROR}>:-Werror>)
endfunction()

# libattend and libattend_model, each shared and static, from the same object files.

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# attend_layers(TARGET LAYER...): the object files of src/LAYER/*.c.
function(attend_layers target)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/src/" OUTPUT_VARIABLE patterns)
    list(TRANSFORM patterns APPEND "/*.c")
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    add_library(${target} OBJECT ${sources})
    attend_compile(${target})
    target_compile_definitions(${target} PRIVATE ATTEND_BUILD)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
endfunction()

attend_layers(attend_common_objects base tensor)
attend_layers(attend_objects cache problem stage kernel fused api)
attend_layers(attend_model_objects files)
target_link_libraries(attend_model_objects PRIVATE PkgConfig::JANSSON)

# What a program that links the static libraries needs besides them: by name, so that no path of this machine is
# installed.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(openmp_private -lgomp)
else()
    set(openmp_private ${OpenMP_C_LIBRARIES})
endif()

# attend_library(TARGET KIND OUTPUT_NAME EXPORT_NAME OBJECTS...)
function(attend_library target kind output export)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${export} LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

attend_library(attend_static STATIC attend attend_static attend_common_objects attend_objects)
target_link_libraries(attend_static PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_C>
    INTERFACE $<INSTALL_INTERFACE:${openmp_private}> PRIVATE m)
add_library(attend::attend_static ALIAS attend_static)

attend_library(attend_model_static STATIC attend_model model_static attend_model_objects)
target_link_libraries(attend_model_static PUBLIC attend_static PRIVATE $<BUILD_INTERFACE:PkgConfig::JANSSON>
    INTERFACE $<INSTALL_INTERFACE:-ljansson>)
add_library(attend::model_static ALIAS attend_model_static)

if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
    add_library(attend::attend ALIAS attend_static)
    add_library(attend::model ALIAS attend_model_static)
    return()
endif()

attend_library(attend SHARED attend attend attend_common_objects attend_objects)
target_link_libraries(attend PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_C> m)
add_library(attend::attend ALIAS attend)

# The model library needs base and tensor, which libattend.so hides: it carries a copy, hidden as well.
attend_library(attend_common STATIC attend_common attend_common attend_common_objects)
attend_library(attend_model SHARED attend_model model attend_model_objects)
target_link_options(attend_model PRIVATE -Wl,--exclude-libs,ALL)
target_link_libraries(attend_model PRIVATE attend_common PUBLIC attend
    PRIVATE $<BUILD_INTERFACE:PkgConfig::JANSSON> $<BUILD_INTERFACE:OpenMP::OpenMP_C> m)
add_library(attend::model ALIAS attend_model)

# Compiler flags shared by every target.
#   -ffp-contract=off  a fused multiply-add in one build and not in another would change the state hash
#   plain x86-64       faster instruction sets are chosen at run time, never by these flags
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # without Eigen's and other libraries' asserts
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(SINEW_CCACHE ccache)
if(SINEW_CCACHE AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1 ${SINEW_CCACHE})
endif()

function(sinew_flags target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off
        -fno-math-errno $<$<BOOL:${SINEW_STRICT}>:-Werror>)
    # one file needs less memory than this [kB], so that the compiler never collects garbage: an eighth of its time
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>")
    # g++ 12 reports these from inlined code of Eigen and std::string, where they are wrong
    if(SINEW_STRICT AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        foreach(guess maybe-uninitialized uninitialized restrict array-bounds stringop-overflow stringop-overread)
            target_compile_options(${target} PRIVATE -Wno-error=${guess})
        endforeach()
    endif()
    # SINEW_ASSERT is on everywhere except in Release
    target_compile_definitions(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:SINEW_ASSERTS=1>
        $<$<CONFIG:Debug>:SINEW_VALIDATES=1>) # SINEW_VALIDATE: heavy checks
    # coverage counters that steer the fuzzers; the fuzzers themselves link -fsanitize=fuzzer; tests need none
    if(SINEW_FUZZ AND NOT target MATCHES "^test_")
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(SINEW_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${SINEW_SANITIZE} -fno-omit-frame-pointer
            -fno-sanitize-recover=all)
        # left out: what the address sanitizer finds as well, at half the compile time; two more unless they are named (preset asan_all), at a
        # fifth
        if(SINEW_SANITIZE MATCHES alignment)
            target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr)
        elseif(SINEW_SANITIZE MATCHES undefined)
            target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow)
        endif()
        # the thread sanitizer needs threads it can see through (core/parallel.cpp)
        if(SINEW_SANITIZE MATCHES thread)
            target_compile_definitions(${target} PRIVATE SINEW_PLAIN_THREADS=1)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${SINEW_SANITIZE})
    endif()
endfunction()

# sinew_precompile(target headers...): the headers, core/math.h and the standard ones that nearly every file reads, compiled
# once per target; half of the compile time. Files still include what they use: `tools/soak.sh clang` reads them without.
function(sinew_precompile target)
    if(NOT SINEW_PRECOMPILE)
        return()
    endif()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <charconv> <cmath> <filesystem> <fstream>
        <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <unordered_map> <vector> ${ARGN}
        ${PROJECT_SOURCE_DIR}/src/core/math.h)
    sinew_precompiled_options(${target})
    sinew_precompiled_sum(${target} ${ARGN})
endfunction()
# the same headers as those of `from`, which has the same flags
function(sinew_share_precompiled target from)
    if(SINEW_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${from})
        sinew_precompiled_options(${target})
    endif()
endfunction()
# ccache reads this small file instead of hashing 140 MB of precompiled header for every source file (a hit takes
# 0.02 s instead of 0.3 s): it names what the precompiled header is made of
function(sinew_precompiled_sum target)
    set(parts ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE} ${CMAKE_BUILD_TYPE}
        ${SINEW_SANITIZE} ${SINEW_FUZZ} ${target} ${ARGN})
    foreach(header Eigen/src/Core/util/Macros.h fmt/core.h gtest/gtest.h) # change with every version of these
        foreach(folder ${EIGEN3_INCLUDE_DIRS} /usr/include /usr/include/eigen3 /usr/local/include)
            if(EXISTS ${folder}/${header})
                file(SHA256 ${folder}/${header} sum)
                list(APPEND parts ${sum})
            endif()
        endforeach()
    endforeach()
    foreach(header src/core/math.h include/sinew/types.h)
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
        file(SHA256 ${PROJECT_SOURCE_DIR}/${header} sum)
        list(APPEND parts ${sum})
    endforeach()
    string(SHA256 sum "${parts}")
    foreach(ending gch pch)
        file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.${ending}.sum ${sum})
    endforeach()
endfunction()
# what ccache needs to look into precompiled headers
function(sinew_precompiled_options target)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
        $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

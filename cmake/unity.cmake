# Unity builds: a few files of one folder are compiled as one, which takes 0.4 (generated energies) to 0.6 (geometry) of the
# processor time of compiling them one by one, for they share what they instantiate of Eigen and of the standard library. So no two files of a folder may define a name twice, not even
# in unnamed namespaces. Files with options of their own (instruction sets, -O3) stay alone: CMake leaves them out.
# With -DSINEW_UNITY=OFF a change recompiles one file instead of its group: better while working on a few files.
#   sinew_unity(target size)   size: files that are compiled together at most
function(sinew_unity target size)
    if(NOT SINEW_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # types of unnamed namespaces as members of types with a name: fine in a .cpp, which g++ here takes for a header
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    get_target_property(sources ${target} SOURCES)
    list(SORT sources)
    set(last "")
    set(group 0)
    set(count 0)
    foreach(source ${sources})
        get_filename_component(folder ${source} DIRECTORY)
        if(NOT folder STREQUAL last OR count GREATER_EQUAL size)
            math(EXPR group "${group} + 1")
            set(count 0)
        endif()
        set(last "${folder}")
        math(EXPR count "${count} + 1")
        set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${target}_${group})
    endforeach()
endfunction()

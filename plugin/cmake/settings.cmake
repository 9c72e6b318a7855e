# Language, warnings and output folders: the same for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# One shared precompiled header serves libraries and programs, so both are compiled with -fPIC:
# GCC drops a precompiled header whose -fPIC / -fPIE differs.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE "-fPIC")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
# CMAKE_BUILD_TYPE=Unoptimised: what is compiled to be checked and never runs.
set(CMAKE_CXX_FLAGS_UNOPTIMISED "-O0")
# Builds that are checked while they run: CMAKE_BUILD_TYPE=Address or Thread.
foreach(config IN ITEMS "ADDRESS address,undefined" "THREAD thread")
  string(REPLACE " " ";" config ${config})
  list(POP_FRONT config name)
  set(checks "-fsanitize=${config} -fno-omit-frame-pointer -fno-sanitize-recover=all")
  set(CMAKE_CXX_FLAGS_${name} "-O0 -g1 ${checks}")
  foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_${name} "-fsanitize=${config}")
  endforeach()
endforeach()
# A linker that takes half a second for what the system's takes five for, where it is there.
find_program(LOWTIDE_MOLD mold)
if(LOWTIDE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

find_program(LOWTIDE_CCACHE ccache)
if(LOWTIDE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" "CCACHE_NOHASHDIR=1" # one cache for all clones
      "CCACHE_PCH_EXTSUM=1" # precompiled.cmake
      ${LOWTIDE_CCACHE})
endif()

# Warnings of our own code, as GCC gives them; headers of others come in as SYSTEM.
add_library(lowtide_warnings INTERFACE)
if(NOT LOWTIDE_FUZZ)
  target_compile_options(
    lowtide_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                               -Wno-missing-field-initializers -Werror
                               -Winvalid-pch -Werror=invalid-pch)
else()
  # Findings end the program at once; conversions of numbers that do not fit are findings too. Comparisons are not
  # traced, which costs a quarter of the speed: dictionaries hold the words that readers look for.
  set(checks address,undefined,float-cast-overflow)
  add_compile_options(-fsanitize=${checks} -fsanitize-coverage=inline-8bit-counters,pc-table -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${checks})
endif()

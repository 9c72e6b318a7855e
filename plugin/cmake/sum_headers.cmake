# cmake -DHEADER=FILE -DSUM=FILE -DCOMPILER=PROGRAM -DINCLUDES=LIST -DDEFINITIONS=LIST -P sum_headers.cmake
# Writes to SUM one hash of all that the precompiled header is made of.
cmake_policy(VERSION 3.25)
list(REMOVE_ITEM INCLUDES "")
list(REMOVE_ITEM DEFINITIONS "")
list(TRANSFORM INCLUDES PREPEND -I)
list(TRANSFORM DEFINITIONS PREPEND -D)
execute_process(COMMAND ${COMPILER} -std=c++20 -O2 -fPIC ${DEFINITIONS} ${INCLUDES} -x c++ -M ${HEADER}
                OUTPUT_VARIABLE rule COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^[^:]*:|\\\\\n" " " rule "${rule}")
separate_arguments(files UNIX_COMMAND "${rule}")
# The header itself lies in the build folder: last, so that its path does not decide about the order, and all clones
# have the same sum.
list(REMOVE_ITEM files ${HEADER})
list(SORT files)
list(APPEND files ${HEADER})
execute_process(COMMAND ${COMPILER} --version OUTPUT_VARIABLE sums)
foreach(file IN LISTS files)
  file(SHA256 ${file} sum)
  string(APPEND sums "${sum}\n")
endforeach()
string(SHA256 sum "${sums};${DEFINITIONS}")
file(WRITE ${SUM} "${sum}\n")

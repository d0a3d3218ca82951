# The interpreter that the Python package is for, and its headers. The system's own, unless
# -D Python3_EXECUTABLE=... says otherwise: the NumPy and pybind11 packages belong to that one, and
# another may come first on the PATH.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Interpreter of the Python package")
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

# Finds the interpreter and the headers for the Python package. Takes the system's own Python, which has
# the NumPy and pybind11 packages, even if another comes first on the PATH; -D Python3_EXECUTABLE=...
# overrides that.
if(CMAKE_CROSSCOMPILING)
  # The other machine's Python does not run here. The toolchain file says how to name the extension.
  find_package(Python3 3.11 REQUIRED COMPONENTS Development.Module)
  set(Python3_SOABI ${SAU_PYTHON_SOABI})
  return()
endif()
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Interpreter of the Python package")
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

# Toolchain file: compiles for aarch64 with Debian's cross compiler. SAU_SYSROOT is a folder that
# tools/arm64_sysroot.sh made. tools/wheel_aarch64.sh uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# CMake's tests of the compiler are projects of their own, and read this file too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SAU_SYSROOT)
set(CMAKE_SYSROOT ${SAU_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${SAU_SYSROOT})
# Programs run on this machine; libraries and headers are for the other one.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SAU_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${SAU_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${SAU_SYSROOT}/usr/share/pkgconfig)
# The Python that the extension is for.
set(Python3_INCLUDE_DIR ${SAU_SYSROOT}/usr/include/python3.11)
set(SAU_PYTHON_SOABI cpython-311-aarch64-linux-gnu
    CACHE STRING "SOABI of the Python that the extension is for, if another one runs here")

# What installing means besides files: the names that makefiles written for NVIDIA's compiler call.
option(CUFORT_INSTALL_LINKS "Install links nvfortran, pgfortran, pgf90 and pgf95 to cufort" OFF)
if(CUFORT_INSTALL_LINKS)
  foreach(name nvfortran pgfortran pgf90 pgf95)
    install(CODE "
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
      file(CREATE_LINK cufort \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\" SYMBOLIC)")
  endforeach()
endif()

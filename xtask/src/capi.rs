//! The C interface as other programs find it: libraries, headers, `pkg-config` and a CMake package below one folder.

use crate::{cargo_output, target, workspace};
use std::fs;
use std::path::Path;

/// Builds the release libraries and installs them with the headers.
pub(crate) fn install(prefix: &str) -> Result<String, String> {
    cargo_output(["build", "--release", "-p", "noli-capi"])?;
    let root = workspace();
    let built = target().join("release");
    let prefix = std::path::absolute(prefix).map_err(|error| format!("{prefix}: {error}"))?;
    let library = prefix.join("lib");
    let names = [format!("{}noli_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)]
        .into_iter()
        .chain([if cfg!(windows) { "noli_c.lib".to_owned() } else { "libnoli_c.a".to_owned() }])
        .chain(cfg!(windows).then(|| "noli_c.dll.lib".to_owned()));
    let mut installed = 0;
    for name in names {
        copy(&built.join(&name), &library.join(&name))?;
        installed += 1;
    }
    installed += copy_folder(&root.join("crates/capi/include"), &prefix.join("include"))?;
    for (path, text) in [
        ("pkgconfig/noli.pc", PKG_CONFIG),
        ("cmake/noli/noliConfig.cmake", CMAKE),
        ("cmake/noli/noliConfigVersion.cmake", CMAKE_VERSION),
    ] {
        let text = text
            .replace("@PREFIX@", &prefix.display().to_string())
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        write(&library.join(path), text.as_bytes())?;
        installed += 1;
    }
    Ok(format!("{installed} files below {}", prefix.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    write(to, &fs::read(from).map_err(|error| format!("{}: {error}", from.display()))?)
}

fn copy_folder(from: &Path, to: &Path) -> Result<usize, String> {
    let wrong = |error| format!("{}: {error}", from.display());
    let mut count = 0;
    for entry in fs::read_dir(from).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            count += copy_folder(&path, &to)?;
        } else {
            copy(&path, &to)?;
            count += 1;
        }
    }
    Ok(count)
}

const PKG_CONFIG: &str = "\
prefix=@PREFIX@
libdir=${prefix}/lib
includedir=${prefix}/include

Name: noli
Description: Exact collision, distance and continuous-collision queries
Version: @VERSION@
Libs: -L${libdir} -lnoli_c
Libs.private: -lpthread -ldl -lm
Cflags: -I${includedir}
";

/// Targets: `noli::noli`, the shared library, and `noli::static`.
const CMAKE: &str = r#"get_filename_component(_noli_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET noli::noli)
  add_library(noli::noli SHARED IMPORTED)
  set_target_properties(noli::noli PROPERTIES
    IMPORTED_LOCATION "${_noli_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}noli_c${CMAKE_SHARED_LIBRARY_SUFFIX}"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${_noli_prefix}/include")
  if(WIN32)
    set_target_properties(noli::noli PROPERTIES IMPORTED_IMPLIB "${_noli_prefix}/lib/noli_c.dll.lib")
  endif()
  add_library(noli::static STATIC IMPORTED)
  set_target_properties(noli::static PROPERTIES
    IMPORTED_LOCATION "${_noli_prefix}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}noli_c${CMAKE_STATIC_LIBRARY_SUFFIX}"
    INTERFACE_INCLUDE_DIRECTORIES "${_noli_prefix}/include")
  if(UNIX)
    set_property(TARGET noli::static PROPERTY INTERFACE_LINK_LIBRARIES "pthread;${CMAKE_DL_LIBS};m")
  endif()
endif()
unset(_noli_prefix)
"#;

/// The same version up to the patch number; before 1.0 the minor number counts.
const CMAKE_VERSION: &str = r#"set(PACKAGE_VERSION "@VERSION@")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"#;

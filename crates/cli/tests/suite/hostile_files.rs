//! Files of strangers: none of them runs code, names a device, fills the memory or reaches files beside it.

use crate::support::{Folder, cubes, exit_code, noli, stderr, stdout};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program in a folder, with further variables.
fn noli_in(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.args(arguments).current_dir(folder).envs(variables.iter().copied()).stdin(Stdio::null());
    command.output().expect("the program starts")
}

/// The peak of memory in KiB of the program that runs in a shell, by `/proc`.
#[cfg(target_os = "linux")]
fn peak_kib(arguments: &[&str]) -> (Output, u64) {
    let mut child = Command::new(crate::PROGRAM)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    (child.wait_with_output().unwrap(), peak)
}

fn packed(text: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    text.for_each(|part| gz.write_all(&part).unwrap());
    gz.finish().unwrap()
}

/// Modules beside the part, in the folder where noli is started, and in a `PYTHONPATH` that is relative.
#[test]
fn python_files_beside_a_part_do_not_run() {
    let folder = Folder::new("planted-modules");
    let marker = folder.join("marker").display().to_string();
    let planted = format!("open('{marker}', 'w').write('ran')\nimport sys\nsys.exit(3)\n");
    for module in ["ifcopenshell.py", "sys.py", "os.py", "site.py", "sitecustomize.py", "usercustomize.py"] {
        folder.file(module, &planted);
    }
    folder.file("part.step", "ISO-10303-21;\nEND-ISO-10303-21;\n");
    folder.file("house.ifc", "ISO-10303-21;\nEND-ISO-10303-21;\n");
    let cache = folder.join("cache").display().to_string();
    for module in ["OCP.py", "OCP/__init__.py"] {
        folder.file(module, &planted);
        for variables in [
            &[("NOLI_CACHE", cache.as_str())][..],
            &[("NOLI_CACHE", cache.as_str()), ("PYTHONPATH", "."), ("PYTHONSTARTUP", "OCP.py")],
        ] {
            for file in ["part.step", "house.ifc", "."] {
                let output = noli_in(&folder, variables, &["check", file, "--leave-out"]);
                assert!(!Path::new(&marker).exists(), "{module} ran for {file}: {}", stderr(&output));
            }
        }
        let _ = std::fs::remove_file(folder.join("OCP.py"));
    }
}

#[cfg(unix)]
#[test]
fn a_conversion_ends_with_its_time() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("slow-conversion");
    let python = folder.file("python.sh", "#!/bin/sh\nexec sleep 600\n");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.file("part.step", "ISO-10303-21;\nEND-ISO-10303-21;\n");
    let start = Instant::now();
    let variables = [("NOLI_PYTHON", "./python.sh"), ("NOLI_CONVERT_SECONDS", "1"), ("NOLI_CACHE", "cache")];
    let output = noli_in(&folder, &variables, &["check", "part.step"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("ended after 1 s"), "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// A script in place of Python that writes a triangle: what it is given, and what is kept of it.
#[cfg(unix)]
#[test]
fn conversions_run_in_an_empty_folder_and_are_kept_with_a_checksum() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("kept-conversion");
    let script = "#!/bin/sh\n# -I -X utf8 -c SCRIPT SOURCE TARGET CHORD\nls -A > \"$TOLD/beside\"\npwd > \"$TOLD/folder\"\n\
         echo \"$1 $6\" > \"$TOLD/arguments\"\necho ran >> \"$TOLD/runs\"\necho 'warning: one face is odd' >&2\n\
         printf 'o a\\nv 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\no b\\nv 0 0 9\\nv 1 0 9\\nv 0 1 9\\nf 4 5 6\\n' > \"$7\"\n";
    let python = folder.file("python.sh", script);
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.file("part.step", "ISO-10303-21;\nEND-ISO-10303-21;\n");
    let told = folder.display().to_string();
    let check = |folder: &Folder| {
        let variables = [("NOLI_PYTHON", python.as_str()), ("NOLI_CACHE", "kept"), ("TOLD", told.as_str())];
        let output = noli_in(folder, &variables, &["check", "part.step"]);
        assert!(stderr(&output).contains("one face is odd"), "{}", stderr(&output));
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    check(&folder);
    assert_eq!(read("beside"), "", "the working folder is empty");
    assert_eq!(read("arguments").trim(), format!("-I {}", folder.join("part.step").display()));
    assert!(!Path::new(read("folder").trim()).exists(), "and gone afterwards");
    check(&folder);
    assert_eq!(read("runs"), "ran\n", "the second time from the cache, with its warnings");
    let entries = || std::fs::read_dir(folder.join("kept")).unwrap().map(|entry| entry.unwrap().path());
    let kept: Vec<_> = entries().collect();
    assert_eq!(kept.len(), 1);
    let mode = std::fs::metadata(folder.join("kept")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // A cut conversion would be a smaller model.
    let bytes = std::fs::read(&kept[0]).unwrap();
    std::fs::write(&kept[0], &bytes[..bytes.len() - 8]).unwrap();
    check(&folder);
    assert_eq!(read("runs"), "ran\nran\n");
    assert_eq!(std::fs::read(&kept[0]).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused() {
    let folder = Folder::new("devices");
    let made = Command::new("mkfifo").arg(folder.join("fifo.obj")).status();
    assert!(made.is_ok_and(|status| status.success()));
    std::os::unix::fs::symlink("/dev/zero", folder.join("link.obj")).unwrap();
    let poses = folder.join("fifo.obj").display().to_string();
    for named in ["/dev/zero", "fifo.obj", "link.obj", "/dev/stdin", "/dev/fd/0"] {
        let scene = folder.file(
            "scene.toml",
            format!("[[body]]\nname = \"a\"\nfile = \"{named}\"\n[[body]]\nname = \"b\"\nbox = [1, 1, 1]\n"),
        );
        let output = noli(&["check", &scene]);
        assert_eq!(exit_code(&output), 2, "{named}");
        assert!(stderr(&output).contains("device, pipe or socket"), "{named}: {}", stderr(&output));
    }
    let link = folder.join("link.obj").display().to_string();
    for arguments in [
        &["check", "/dev/zero"][..],
        &["check", &link],
        &["check", &poses],
        &["clash", "list", "/dev/zero"],
        &["robot", "info", "/dev/zero"],
        &["campaign", "/dev/zero"],
        &["verify", "/dev/zero"],
    ] {
        let output = noli(arguments);
        assert_eq!(exit_code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains("device, pipe or socket"), "{arguments:?}: {}", stderr(&output));
    }
    // What the shell opened for this command is meant.
    let two = folder.file("two.obj", cubes(&[0.0, 5.0]));
    let piped = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "cat '{two}' | '{}' check /dev/stdin && cat '{two}' | '{}' check -",
            crate::PROGRAM,
            crate::PROGRAM
        ))
        .output()
        .unwrap();
    assert_eq!(exit_code(&piped), 0, "{}", stderr(&piped));
}

#[test]
fn what_unfolds_beyond_the_memory_is_refused() {
    let folder = Folder::new("unfolding");
    let bomb = folder.file("v.obj.gz", packed((0..64).map(|_| b"v 0 0 0\n".repeat(1 << 17))));
    let output = noli(&["check", &bomb, "--memory", "64M"]);
    assert_eq!(exit_code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("unfolds to more than 16 MiB") && said.contains("--memory"), "{said}");
    let said = stderr(&noli(&["check", &bomb, "--memory", "1M"]));
    assert!(said.contains("unfolds to more than 256 KiB (the limit of memory is 1 MiB)"), "{said}");
    let large = folder.file("large.obj", cubes(&[0.0, 5.0]) + &"#".repeat(3 << 20));
    let output = noli(&["check", &large, "--memory", "1M"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("larger than 2 MiB"), "{}", stderr(&output));
    assert_eq!(exit_code(&noli(&["check", &large, "--memory", "512M"])), 0);
    assert_eq!(exit_code(&noli(&["check", &large, "--memory", "none"])), 2);
}

/// Empty elements: four bytes of text, eighty of memory.
#[cfg(target_os = "linux")]
#[test]
fn empty_elements_of_3mf_do_not_fill_the_memory() {
    let folder = Folder::new("elements");
    let head = "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">";
    let text = [head, &"<a/>".repeat(30_000_000), "</model>"].concat();
    let mut archive = noli_formats::packed::Packing::default();
    archive.file("3D/3dmodel.model", text.as_bytes()).unwrap();
    let bytes = archive.finish().unwrap();
    assert!(bytes.len() < 1 << 20);
    let file = folder.file("empty.3mf", bytes);
    let (output, peak) = peak_kib(&["check", &file]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("too many elements"), "{}", stderr(&output));
    assert!(peak < 1 << 20, "{peak} KiB");
}

#[test]
fn exports_write_over_nothing_unless_asked() {
    let folder = Folder::new("export-over");
    let at = |name: &str| folder.join(name).display().to_string();
    folder.file("part.obj", cubes(&[0.0]));
    folder.file("scene.toml", "[[body]]\nname = \"a\"\nfile = \"part.obj\"\n");
    let db = at("parts.db");
    for arguments in [&["db", "init", &db][..], &["db", "import", &db, &at("scene.toml"), &at("part.obj")]] {
        assert_eq!(exit_code(&noli(arguments)), 0);
    }
    folder.file("out/part.obj", "precious");
    let output = noli(&["db", "export", &db, "scene", &at("out/scene.toml")]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("--replace"), "{}", stderr(&output));
    assert!(!folder.join("out/scene.toml").exists(), "nothing is written by halves");
    assert_eq!(std::fs::read(folder.join("out/part.obj")).unwrap(), b"precious");
    let output = noli(&["db", "export", &db, "scene", &at("out/scene.toml"), "--replace"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_ne!(std::fs::read(folder.join("out/part.obj")).unwrap(), b"precious");
    assert!(stdout(&output).contains("scene.toml"));
}

/// Users without the right to write: as root permissions do not count, so the program runs as nobody.
#[cfg(target_os = "linux")]
#[test]
fn databases_that_cannot_be_written_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only-db");
    let at = |name: &str| folder.join(name).display().to_string();
    let part = folder.file("part.obj", cubes(&[0.0]));
    let db = at("archive/parts of 2024?.db");
    std::fs::create_dir(folder.join("archive")).unwrap();
    for arguments in [&["db", "init", &db][..], &["db", "import", &db, &part]] {
        assert_eq!(exit_code(&noli(arguments)), 0);
    }
    let mode =
        |path: &str, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(&db, 0o444);
    mode(&at("archive"), 0o555);
    mode(&at(""), 0o755);
    let is_root = std::fs::File::create(folder.join("archive/probe")).is_ok();
    if is_root {
        std::fs::remove_file(folder.join("archive/probe")).unwrap();
    }
    let nobody = |arguments: &[&str]| {
        let mut command = if is_root { Command::new("setpriv") } else { Command::new(crate::PROGRAM) };
        if is_root {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", crate::PROGRAM]);
        }
        command.args(arguments).output()
    };
    match nobody(&["--version"]) {
        Ok(output) if output.status.success() => {}
        _ => return noli_testing::skip("the program cannot be run as another user"),
    }
    for arguments in [&["db", "list", &db][..], &["db", "check", &db], &["db", "show", &db, "part"]] {
        let output = nobody(arguments).unwrap();
        assert_eq!(exit_code(&output), 0, "{arguments:?}: {}", stderr(&output));
    }
    mode(&at("archive"), 0o755);
    // A log that was not written back holds entries that would be missed.
    std::fs::write(format!("{db}-wal"), [0; 64]).unwrap();
    mode(&at("archive"), 0o555);
    let output = nobody(&["db", "list", &db]).unwrap();
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("write-ahead log"), "{}", stderr(&output));
    mode(&at("archive"), 0o755);
}

/// The token is in no argument of a program: other users of the machine see those.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_started_without_the_token() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("browser-arguments");
    let browser =
        folder.file("xdg-open", "#!/bin/sh\necho \"$1\" > \"$TOLD.part\"\nmv \"$TOLD.part\" \"$TOLD\"\n");
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.file("project/scene.toml", "[[body]]\nname = \"a\"\nbox = [1, 1, 1]\n");
    let told = folder.join("told");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut child = Command::new(crate::PROGRAM)
        .arg("serve")
        .arg(folder.join("project"))
        .env("PATH", path)
        .env("TOLD", &told)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut url)
        .unwrap();
    let is_told = noli_testing::poll(|| told.exists().then_some(())).is_some();
    let opened = std::fs::read_to_string(&told).unwrap_or_default();
    let page = std::fs::read_to_string(opened.trim()).unwrap_or_default();
    let modes = [Path::new(opened.trim()).parent(), Some(Path::new(opened.trim()))].map(|path| {
        path.and_then(|path| path.metadata().ok()).map(|found| found.permissions().mode() & 0o077)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let token = url.trim().split_once("token=").unwrap().1;
    assert!(is_told && !opened.contains(token), "{opened}");
    assert!(page.contains(url.trim()), "{page}");
    assert_eq!(modes[0], Some(0), "the folder is the owner's alone");
}

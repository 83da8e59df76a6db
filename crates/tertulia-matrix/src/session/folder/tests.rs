//! What lies in the directory of a session, and what is made of it.

use super::*;

fn folder(name: &str) -> Folder {
    let path = std::env::temp_dir().join(format!("tertulia-matrix-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    Folder::new(&path)
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn kept(token: Option<&str>) -> Kept {
    Kept {
        user: "@bot:localhost".into(),
        device: "ABC".into(),
        token: token.map(str::to_owned),
    }
}

#[tokio::test]
async fn what_is_kept_is_found_and_nobody_else_reads_it() {
    let folder = folder("kept");
    folder.make().await.unwrap();
    assert_eq!(folder.kept().await.unwrap(), None);
    for kept in [kept(None), kept(Some("secret"))] {
        folder.keep(&kept).await.unwrap();
        assert_eq!(folder.kept().await.unwrap(), Some(kept));
    }
    assert_eq!(mode(folder.path()), 0o700);
    assert_eq!(mode(&folder.file(SESSION)), 0o600);
    assert!(!folder.file("session.json.new").exists());
    std::fs::remove_dir_all(folder.path()).unwrap();
}

#[tokio::test]
async fn a_folder_that_others_could_read_is_closed() {
    let folder = folder("open");
    std::fs::create_dir_all(folder.path()).unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.file(KEYS), "keys").unwrap();
    std::fs::set_permissions(folder.file(KEYS), Permissions::from_mode(0o644)).unwrap();
    folder.make().await.unwrap();
    folder.close().await.unwrap();
    assert!(folder.has_keys());
    assert_eq!((mode(folder.path()), mode(&folder.file(KEYS))), (0o700, 0o600));
    std::fs::remove_dir_all(folder.path()).unwrap();
}

#[tokio::test]
async fn an_odd_file_is_named_and_left_as_it_is() {
    let folder = folder("odd");
    folder.make().await.unwrap();
    for odd in ["", "{", "{\"user\":\"@bot:localhost\"}", "null", "{\"device\":7}"] {
        std::fs::write(folder.file(SESSION), odd).unwrap();
        let error = folder.kept().await.unwrap_err();
        assert!(
            error.to_string().contains("session.json is not what was written"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(folder.file(SESSION)).unwrap(), odd);
    }
    std::fs::write(folder.file(SESSION), [0xff, 0xfe]).unwrap();
    assert!(matches!(folder.kept().await, Err(FolderError::Odd(_))));
    std::fs::remove_dir_all(folder.path()).unwrap();
}

#[test]
fn no_token_is_shown() {
    assert_eq!(format!("{:?}", kept(Some("secret"))), "Kept(@bot:localhost on ABC, ..)");
}

//! Files that people name: read whole, but never more than is sensible.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The text of a file of at most so many bytes; a device that never ends is cut off as well.
///
/// # Errors
/// It cannot be read, is larger (`FileTooLarge`), or is not UTF-8 (`InvalidData`).
pub(crate) fn read_text(file: &Path, largest: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let read = File::open(file)?.take(largest + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > largest) {
        let problem = format!("it is larger than {largest} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, problem));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "four");
        assert_eq!(read_text(&file, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file, 4).unwrap_err().kind(), ErrorKind::InvalidData);
        let endless = read_text(Path::new("/dev/zero"), 4).unwrap_err();
        assert_eq!(endless.kind(), ErrorKind::FileTooLarge);
    }
}

//! Bare samples in a file that players know.

/// A WAV file of linear samples of 16 bits, little end first, in one channel, so many in a second.
pub(crate) fn wav(samples: &[u8], rate: u32) -> Vec<u8> {
    const HEADER: u32 = 44;
    const BYTES_A_SAMPLE: u16 = 2;
    let length = u32::try_from(samples.len()).unwrap_or(u32::MAX - HEADER);
    let mut file = Vec::with_capacity(samples.len() + 44);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(length + HEADER - 8).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    // linear samples, one channel
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&rate.to_le_bytes());
    file.extend_from_slice(&rate.saturating_mul(BYTES_A_SAMPLE.into()).to_le_bytes());
    file.extend_from_slice(&BYTES_A_SAMPLE.to_le_bytes());
    file.extend_from_slice(&(8 * BYTES_A_SAMPLE).to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(samples);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_what_follows() {
        let file = wav(&[1, 2, 3, 4], 24_000);
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!((&file[..4], &file[8..16]), (b"RIFF".as_slice(), b"WAVEfmt ".as_slice()));
        assert_eq!(number(4), 40);
        assert_eq!((number(16), number(20)), (16, 0x0001_0001));
        assert_eq!((number(24), number(28)), (24_000, 48_000));
        assert_eq!(number(32), 0x0010_0002);
        assert_eq!(
            (&file[36..40], number(40), &file[44..]),
            (b"data".as_slice(), 4, [1, 2, 3, 4].as_slice())
        );
    }
}

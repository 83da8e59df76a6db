//! Certificates that are made for one test and are worth nothing behind it.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT: u8 = 0x06;
const TEXT: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const TIME: u8 = 0x18;

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1d, 0x11];
const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];

/// Somebody who signs.
pub(super) struct Authority {
    pub(super) certificate: Vec<u8>,
    key: EcdsaKeyPair,
}

/// What is signed, and its key.
pub(super) struct Leaf {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
}

impl Authority {
    pub(super) fn new() -> Self {
        let (key, _) = new_key();
        let is_authority = der(SEQUENCE, &[&[0x01, 0x01, 0xff]]);
        let extension = extension(BASIC_CONSTRAINTS, &is_authority);
        let certificate = certificate(1, "authority", key.public_key().as_ref(), &extension, &key);
        Self { certificate, key }
    }

    /// A certificate for a host.
    pub(super) fn leaf(&self, host: &str) -> Leaf {
        let (pair, key) = new_key();
        let names = der(SEQUENCE, &[&der(0x82, &[host.as_bytes()])]);
        let extension = extension(ALTERNATIVE_NAME, &names);
        let certificate = certificate(2, "leaf", pair.public_key().as_ref(), &extension, &self.key);
        Leaf { certificate, key }
    }
}

fn new_key() -> (EcdsaKeyPair, Vec<u8>) {
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.as_ref(), &random).unwrap();
    (pair, key.as_ref().to_vec())
}

/// A certificate that the authority has signed.
fn certificate(serial: u8, subject: &str, public: &[u8], extension: &[u8], signer: &EcdsaKeyPair) -> Vec<u8> {
    let algorithm = der(SEQUENCE, &[&der(OBJECT, &[ECDSA_WITH_SHA256])]);
    let validity = der(
        SEQUENCE,
        &[&der(UTC_TIME, &[b"200101000000Z"]), &der(TIME, &[b"20991231235959Z"])],
    );
    let curve = der(SEQUENCE, &[&der(OBJECT, &[EC_PUBLIC_KEY]), &der(OBJECT, &[P256])]);
    let body = der(
        SEQUENCE,
        &[
            &der(0xa0, &[&der(INTEGER, &[&[2]])]),
            &der(INTEGER, &[&[serial]]),
            &algorithm,
            &name("authority"),
            &validity,
            &name(subject),
            &der(SEQUENCE, &[&curve, &der(BIT_STRING, &[&[0], public])]),
            &der(0xa3, &[&der(SEQUENCE, &[extension])]),
        ],
    );
    let signature = signer.sign(&SystemRandom::new(), &body).unwrap();
    der(
        SEQUENCE,
        &[&body, &algorithm, &der(BIT_STRING, &[&[0], signature.as_ref()])],
    )
}

fn name(common: &str) -> Vec<u8> {
    let attribute = der(
        SEQUENCE,
        &[&der(OBJECT, &[COMMON_NAME]), &der(TEXT, &[common.as_bytes()])],
    );
    der(SEQUENCE, &[&der(SET, &[&attribute])])
}

fn extension(kind: &[u8], value: &[u8]) -> Vec<u8> {
    der(SEQUENCE, &[&der(OBJECT, &[kind]), &der(OCTET_STRING, &[value])])
}

/// A tag, a length, and what is inside.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let inside = parts.concat();
    let length = u16::try_from(inside.len()).unwrap().to_be_bytes();
    let head = match inside.len() {
        0..=127 => vec![tag, length[1]],
        128..=255 => vec![tag, 0x81, length[1]],
        _ => vec![tag, 0x82, length[0], length[1]],
    };
    [head, inside].concat()
}

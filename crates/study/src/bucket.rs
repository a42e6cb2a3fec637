//! A bucket as the place where stores are shared.

use noregret_data::bucket::{Bucket, BucketError};
use noregret_engine::exec::remote::{Remote, RemoteError};

/// The file by which a bucket shows that its server obeys the condition of writing, and what it holds.
const MARK: (&str, &[u8]) = ("noregret-store", b"noregret store, version 1\n");

/// The objects of stores in a bucket.
#[derive(Debug)]
pub struct SharedBucket(Bucket);

impl SharedBucket {
    /// The bucket at `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// See [`Bucket::open`].
    pub fn open(address: &str) -> Result<Self, BucketError> {
        Bucket::open(address).map(Self)
    }
}

fn error(error: BucketError) -> RemoteError {
    RemoteError(error.to_string())
}

impl Remote for SharedBucket {
    fn address(&self) -> String {
        self.0.to_string()
    }

    fn check(&self) -> Result<(), RemoteError> {
        self.0.check(MARK.0, MARK.1).map_err(error)
    }

    fn list(&self, prefix: &str) -> Result<Vec<(String, u64)>, RemoteError> {
        self.0.list(prefix).map_err(error)
    }

    fn read(&self, name: &str, from: u64) -> Result<Vec<u8>, RemoteError> {
        self.0.read(name, from).map_err(error)
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), RemoteError> {
        self.0.create(name, bytes).map(drop).map_err(error)
    }
}

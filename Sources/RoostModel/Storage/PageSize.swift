/// The default page sizes.
package enum PageSize {
    /// The number of entries on a page. With usual text lengths and dimensions, such a page takes about a
    /// megabyte, and one of large entries still fits into memory.
    package static let entries = 256
    /// The number of headers on a page. A header takes less than 100 bytes.
    package static let headers = 10_000
    /// The number of changes on a page. A change takes about 50 bytes.
    package static let changes = 1000
    /// The number of entries whose vectors are on a page. With one vector per entry and 384 dimensions, such
    /// a page takes 6 MB, which makes the overhead of each call negligible.
    package static let vectors = 4096
}

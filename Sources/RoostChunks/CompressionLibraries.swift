import CZlib
import CZstd

/// The versions of the system libraries that compress chunks.
package enum CompressionLibraries {
    /// The names and versions of the loaded libraries.
    package static var versions: [(name: String, version: String)] {
        [
            ("zlib", String(cString: zlibVersion())), ("zstd", String(cString: ZSTD_versionString())),
        ]
    }
}

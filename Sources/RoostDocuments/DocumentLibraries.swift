import CCommonMark
import CZip

/// The versions of the system libraries that read documents.
package enum DocumentLibraries {
    /// The names and versions of the loaded libraries.
    package static var versions: [(name: String, version: String)] {
        [
            ("cmark-gfm", String(cString: cmark_version_string())),
            ("libzip", String(cString: zip_libzip_version())),
        ]
    }
}

import Foundation

/// The paths of the parts of an archive.
enum PartPath {
    /// Returns the path of a part that another part names by a relative address.
    ///
    /// Escaped characters are decoded, and the fragment is removed. Returns `nil` for addresses of other
    /// files and servers, and for paths that leave the archive.
    static func resolve(_ address: String, from part: String) -> String? {
        let withoutFragment = address.prefix { $0 != "#" && $0 != "?" }
        guard !withoutFragment.isEmpty, !withoutFragment.contains(":") else { return nil }
        let decoded = String(withoutFragment).removingPercentEncoding ?? String(withoutFragment)
        var components = decoded.hasPrefix("/") ? [] : part.split(separator: "/").dropLast().map(String.init)
        for component in decoded.split(separator: "/") {
            switch component {
            case ".": continue
            case "..":
                guard !components.isEmpty else { return nil }
                components.removeLast()
            default: components.append(String(component))
            }
        }
        return components.isEmpty ? nil : components.joined(separator: "/")
    }
}

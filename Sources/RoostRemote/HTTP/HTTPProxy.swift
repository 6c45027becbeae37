package import Foundation

/// A proxy for HTTP.
package struct HTTPProxy: Sendable, Hashable {
    /// The protocol of the proxy, in lower case, such as `http`, `https` or `socks5h`. libcurl refuses those
    /// that it does not support.
    package var scheme: String
    package var host: String
    package var port: Int
    /// The user and the password, if the proxy requires them.
    package var user: String?
    package var password: String?

    /// Returns the proxy that environment variables specify for an address: `http_proxy`, `https_proxy`,
    /// `all_proxy` and `no_proxy`, in lower or upper case. Loopback addresses have none.
    package init?(for url: URL, _ environment: [String: String]) {
        func value(_ name: String) -> String? {
            (environment[name] ?? environment[name.uppercased()]).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let host = url.host?.lowercased(), !Self.isLoopback(host) else { return nil }
        for pattern in (value("no_proxy") ?? "").lowercased().split(separator: ",") {
            let name = pattern.trimmingCharacters(in: .whitespaces)
            if name == "*" || host == name || host.hasSuffix(name.hasPrefix(".") ? name : "." + name) {
                return nil
            }
        }
        guard let text = value("\(url.scheme?.lowercased() ?? "http")_proxy") ?? value("all_proxy"),
            let proxy = URL(string: text.contains("://") ? text : "http://" + text), let name = proxy.host
        else { return nil }
        // An IPv6 address in a URL has brackets, which `host` may omit.
        self.host = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        scheme = proxy.scheme?.lowercased() ?? "http"
        port = proxy.port ?? (scheme == "https" ? 443 : scheme.hasPrefix("socks") ? 1080 : 80)
        user = proxy.user(percentEncoded: false)
        password = proxy.password(percentEncoded: false)
    }

    /// Returns whether a host, in lower case, is a loopback address or `localhost`.
    package static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return host == "localhost" || host == "::1" || host == "[::1]"
            || parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }
}

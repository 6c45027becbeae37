import CCurl
import CCurlLoader
import Foundation
import HTTPTypes
import Synchronization

/// A call of libcurl. `Sendable` is unchecked because only the thread of the client uses the call once it has
/// begun, except for ``cancel()``.
final class Transfer: @unchecked Sendable {
    struct Receiver: Sendable {
        var head: @Sendable (HTTPAnswer) throws -> Void
        var body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    }

    /// The error of a receiver that needs nothing more. The call then succeeds.
    struct Finish: Error {}

    let handle: UnsafeMutableRawPointer
    private let body: Data?
    private var isSent = false
    private var sentBytes = 0
    private let receiver: Receiver
    private let hasProxy: Bool
    private let limit: BodyLimit
    private let timeout: Duration
    private let pauseTimeout: Duration
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    private var answer = HTTPAnswer(status: 0)
    private var headSize = 0
    private var hasHead = false
    private var hasDeliveredHead = false
    private var receivedBytes = 0
    private var start = ContinuousClock.now
    private var headTime = ContinuousClock.now
    private var lastPart = ContinuousClock.now
    private var error: (any Error)?
    private let cancelled = Atomic(false)
    var continuation: CheckedContinuation<Void, any Error>?

    /// The maximum time limit: about a year, so that the end of a call is a valid time.
    private static let maximumTimeout = Duration.seconds(366 * 86_400)
    private static let maximumHeadSize = 1 << 20

    init(
        _ call: HTTPCall, _ client: HTTPClient, timeout: Duration, limit: BodyLimit, _ receiver: Receiver
    ) throws(NetworkFailure) {
        try Self.load()
        guard let handle = curl_easy_init() else { throw NetworkFailure(.other, "libcurl cannot start") }
        self.handle = handle
        self.receiver = receiver
        self.limit = limit
        hasProxy = client.proxy != nil
        self.timeout = min(timeout, Self.maximumTimeout)
        pauseTimeout = min(client.pauseTimeout, Self.maximumTimeout)
        body = call.body
        try configure(call, client)
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    private static func load() throws(NetworkFailure) {
        if let reason = roost_curl_load() {
            throw NetworkFailure(
                .missingLibrary,
                "libcurl cannot be loaded: \(String(cString: reason)) "
                    + "(Debian and Ubuntu: apt install libcurl4)")
        }
        _ = isInitialized
    }

    /// libcurl must be initialized once, before the first call.
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The trusted certificates of the system; `nil` for the default of libcurl. The packages for other systems
    /// contain the libcurl of Debian, which knows only the first of these paths.
    private static let certificateFile: String? = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Arch
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora
        "/etc/ssl/ca-bundle.pem",  // openSUSE
    ].first { access($0, R_OK) == 0 }

    // MARK: Options

    private func configure(_ call: HTTPCall, _ client: HTTPClient) throws(NetworkFailure) {
        set(CURLOPT_NOSIGNAL, 1)
        // Without this option, the end of a call waits for the resolver of host names, which can take many
        // seconds.
        set(CURLOPT_QUICK_EXIT, 1)
        // Other programs that this process starts must not inherit connections.
        roost_curl_close_on_exec(handle)
        if let file = Self.certificateFile { set(CURLOPT_CAINFO, file) }
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // The signature of a call covers its path.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(client.connectTimeout))
        set(CURLOPT_FOLLOWLOCATION, client.maximumRedirects > 0 ? 1 : 0)
        set(CURLOPT_MAXREDIRS, client.maximumRedirects)
        if client.decompresses { set(CURLOPT_ACCEPT_ENCODING, "") }
        if call.method != .get, call.method != .head { refuseRepetition() }
        configure(client.proxy)
        if let address = client.address, client.proxy == nil {
            // The empty host and port stand for every host and port.
            set(CURLOPT_CONNECT_TO, ["::\(address.contains(":") ? "[\(address)]" : address):"])
        }
        guard try Self.host(of: call.url) != nil, set(CURLOPT_URL, call.url) else {
            throw NetworkFailure(.invalidCall, "the URL is invalid")
        }
        configureMessage(call)
        let context = Unmanaged.passUnretained(self).toOpaque()
        roost_curl_set_context(handle, CURLOPT_PRIVATE, context)
        roost_curl_set_context(handle, CURLOPT_HEADERDATA, context)
        roost_curl_set_context(handle, CURLOPT_WRITEDATA, context)
        roost_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.of(context).receiveHeader(bytes, size * count)
        }
        roost_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.of(context).receiveBody(bytes, size * count)
        }
    }

    /// Ends the call instead of letting libcurl send it again after a connection that was used before ended
    /// without an answer: the server could have executed it, so only the caller knows whether it may be
    /// repeated.
    private func refuseRepetition() {
        roost_curl_set_context(handle, CURLOPT_PREREQDATA, Unmanaged.passUnretained(self).toOpaque())
        roost_curl_set_prerequest(handle) { context, _, _, _, _ in
            let transfer = Transfer.of(context)
            defer { transfer.isSent = true }
            guard transfer.isSent else { return Int32(CURL_PREREQFUNC_OK) }
            transfer.error = NetworkFailure(.other, "the server closed the connection without a response")
            return Int32(CURL_PREREQFUNC_ABORT)
        }
    }

    /// Returns the host of an http or https URL as libcurl reads it, such as `127.0.0.1` for `2130706433` and for
    /// `0x7f.1`; `nil` if the URL is invalid.
    static func host(of text: String) throws(NetworkFailure) -> String? {
        try load()
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard ["http", "https"].contains(scheme), !text.utf8.contains(0), let url = curl_url() else {
            return nil
        }
        defer { curl_url_cleanup(url) }
        var host: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK, let host
        else { return nil }
        defer { curl_free(host) }
        return String(cString: host)
    }

    private func configureMessage(_ call: HTTPCall) {
        // An empty value removes a header that libcurl would add.
        var lines = ["Expect:"]
        for field in call.headers {
            // A name followed by a semicolon is a header without a value.
            lines.append(
                field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        set(CURLOPT_HTTPHEADER, lines)
        if call.method == .head { set(CURLOPT_NOBODY, 1) }
        if let body {
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CURLOPT_UPLOAD, 1)
            roost_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.count))
            roost_curl_set_context(handle, CURLOPT_READDATA, context)
            roost_curl_set_context(handle, CURLOPT_SEEKDATA, context)
            roost_curl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                Transfer.of(context).send(bytes, size * count)
            }
            roost_curl_set_seek(handle) { context, offset, origin in
                guard origin == SEEK_SET else { return Int32(CURL_SEEKFUNC_CANTSEEK) }
                Transfer.of(context).sentBytes = Int(offset)
                return Int32(CURL_SEEKFUNC_OK)
            }
        }
        if call.method != .get, call.method != .head {
            set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
        }
    }

    private func configure(_ proxy: HTTPProxy?) {
        // Without a proxy, an empty text keeps libcurl from reading the environment.
        set(CURLOPT_NOPROXY, proxy == nil ? "*" : "")
        set(CURLOPT_PROXY, proxy.map { "\($0.scheme)://\($0.host)" } ?? "")
        guard let proxy else { return }
        set(CURLOPT_PROXYPORT, proxy.port)
        guard let user = proxy.user else { return }
        set(CURLOPT_PROXYUSERNAME, user)
        set(CURLOPT_PROXYPASSWORD, proxy.password ?? "")
    }

    private func set(_ option: CURLoption, _ value: Int) { roost_curl_set_number(handle, option, value) }

    @discardableResult private func set(_ option: CURLoption, _ value: String) -> Bool {
        roost_curl_set_text(handle, option, value) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { return }
        lists.append(list)
        roost_curl_set_list(handle, option, list)
    }

    /// Returns a positive number of milliseconds; 0 would stand for libcurl's default.
    static func milliseconds(_ duration: Duration) -> Int {
        Int(min(max(1, duration / .milliseconds(1)), 1e9))
    }

    // MARK: Callbacks

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { preconditionFailure("libcurl passes the context that was set") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        // Headers after the body (trailers) do not extend the time.
        if receivedBytes == 0 { lastPart = .now }
        let line = String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self
        ).trimmingCharacters(in: .newlines)
        headSize += count
        guard headSize <= Self.maximumHeadSize else {
            error = NetworkFailure(.other, "the header of the response is too large")
            return -1
        }
        if line.hasPrefix("HTTP/"), receivedBytes == 0 {
            let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            answer = HTTPAnswer(status: status)
            hasHead = false
        } else if line.isEmpty {
            // A status below 200 announces another head.
            if answer.status >= 200 { (hasHead, headTime) = (true, .now) }
        } else if !hasHead, let colon = line.firstIndex(of: ":"),
            let name = HTTPField.Name(String(line[..<colon]))
        {
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            answer.headers.append(HTTPField(name: name, value: value))
        }
        return count
    }

    private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        lastPart = .now
        receivedBytes += count
        do {
            try deliverHead()
            try limit.check(received: receivedBytes, after: lastPart - headTime)
            try receiver.body(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        } catch {
            self.error = error
            return -1
        }
    }

    private func send(_ bytes: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        guard let body, let bytes else { return 0 }
        let part = body.dropFirst(sentBytes).prefix(capacity)
        part.copyBytes(to: UnsafeMutableRawBufferPointer(start: bytes, count: capacity))
        sentBytes += part.count
        return part.count
    }

    private func deliverHead() throws {
        guard !hasDeliveredHead else { return }
        hasDeliveredHead = true
        try receiver.head(answer)
    }

    // MARK: Progress

    func begin() { start = .now }

    /// Ends the call soon with `CancellationError`. May be called on any thread.
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// The reason to end the call now, if there is one.
    var interruption: (any Error)? {
        if cancelled.load(ordering: .acquiring) { return CancellationError() }
        return remaining <= .zero ? NetworkFailure(.timedOut, "the server is too slow") : nil
    }

    /// The time until the call is too slow, unless something arrives.
    var remaining: Duration {
        let deadline = hasHead ? lastPart + pauseTimeout : start + timeout
        return deadline - .now
    }

    func finish(_ result: CURLcode) {
        let continuation = continuation.take()
        do {
            if let error { throw error }
            // A receiver may need only the head of an answer whose encoding is unknown.
            if result == CURLE_BAD_CONTENT_ENCODING, receivedBytes == 0 { try deliverHead() }
            if result != CURLE_OK { throw failure(result) }
            if hasProxy, answer.status == 407 { throw Self.proxyAuthentication }
            try deliverHead()
            continuation?.resume()
        } catch is Finish {
            continuation?.resume()
        } catch {
            continuation?.resume(throwing: error)
        }
    }

    private static let proxyAuthentication = NetworkFailure(
        .proxyAuthentication, "the proxy requires a user and a password")

    func finish(throwing error: any Error) { continuation.take()?.resume(throwing: error) }

    private func failure(_ result: CURLcode) -> NetworkFailure {
        var proxyStatus = 0
        roost_curl_get_number(handle, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
        if proxyStatus == 407 { return Self.proxyAuthentication }
        if proxyStatus != 0, !(200..<300).contains(proxyStatus) {
            return NetworkFailure(
                .other, "the proxy refused the connection with status \(proxyStatus)")
        }
        let code: NetworkFailure.Code =
            switch result {
            case CURLE_URL_MALFORMAT: .invalidCall
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_INVALIDCERTSTATUS:
                .insecure
            default: .other
            }
        // These texts are constants of libcurl.
        let reason = String(cString: curl_easy_strerror(result)).lowercased()
        #if os(Linux)
            if code == .insecure, Self.certificateFile == nil {
                return NetworkFailure(
                    code,
                    "\(reason); no trusted certificates are installed (Debian and Ubuntu: apt install "
                        + "ca-certificates)")
            }
        #endif
        return NetworkFailure(code, reason)
    }
}

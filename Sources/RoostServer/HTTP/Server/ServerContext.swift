
/// The objects that all routes of a server share.
struct ServerContext: Sendable {
    let settings: ServerSettings
    let handle: StoreHandle
    let agents: MCPServer
    /// The limit on streams.
    let streams: Admission
    /// The limit on requests that are read and answered at the same time.
    let requests: Admission
}

import RoostMCP

/// The objects that all routes of a server share.
struct ServerContext: Sendable {
    let settings: ServerSettings
    /// The store.
    let handle: StoreHandle
    /// The work that runs in the background.
    let jobs: JobRegistry
    /// The metrics.
    let metrics: MetricsRegistry
    /// The server of the Model Context Protocol.
    let agents: MCPServer
    /// Answers to requests with idempotency keys.
    let idempotency = IdempotencyCache()
    /// The check whether the store can be read.
    let readiness = ReadinessCheck()
    /// The limit on streams.
    let streams: Admission
    /// The limit on other requests. A request needs a permit when its body has arrived, so clients that send
    /// slowly do not keep others from being answered.
    let requests: Admission
    /// The limit on the memory for bodies that have not arrived completely, in blocks.
    let arrivingBlocks: Admission
}

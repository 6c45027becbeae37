import Hummingbird
import NIOCore

/// The connection on which a request arrived.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
}

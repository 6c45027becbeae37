import NIOCore

/// Observes that the client has closed a connection, or its side of it.
///
/// The end of the input is not visible in the stream of request parts while the parts before it wait to be
/// read.
final class InputClosure: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    private let promise: EventLoopPromise<Void>

    /// Completes when the client has closed the connection.
    var closed: EventLoopFuture<Void> { promise.futureResult }

    /// Creates a handler for a channel of an event loop.
    init(_ eventLoop: any EventLoop) { promise = eventLoop.makePromise() }

    // A promise must be completed, also if the handler could not be added to a closed channel.
    deinit { promise.succeed() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { promise.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.succeed()
        context.fireChannelInactive()
    }
}

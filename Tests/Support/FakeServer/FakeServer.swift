package import Foundation
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on the loopback interface that calls a function for each request and records all requests.
package final class FakeServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var path: String
        package var headers: [String: String]
        package var body: Data

        package var inputs: [String] {
            ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any])?["input"] as? [String] ?? []
        }
    }

    package struct Answer: Sendable {
        package var status = 200
        package var headers: [String: String] = [:]
        package var body = Data()
        package var hangsUp = false
        /// Sends half of the body, then nothing more.
        package var stalls = false
        /// Sends half of the body, then closes the connection.
        package var cutsOff = false
        /// Sends the body one byte at a time, with this pause between the bytes.
        package var drips: TimeAmount?
        package var delay = TimeAmount.zero

        package init(
            status: Int = 200, headers: [String: String] = [:], body: Data = Data(), hangsUp: Bool = false,
            stalls: Bool = false, delay: TimeAmount = .zero
        ) {
            (self.status, self.headers, self.body) = (status, headers, body)
            (self.hangsUp, self.stalls, self.delay) = (hangsUp, stalls, delay)
        }

        package static func json(_ status: Int, _ value: Any, _ headers: [String: String] = [:]) -> Answer {
            Answer(
                status: status, headers: headers,
                body: (try? JSONSerialization.data(withJSONObject: value)) ?? Data())
        }
    }

    package typealias Respond = @Sendable (Request, _ number: Int) -> Answer

    private let channel: any Channel
    private let seen = Mutex<[Request]>([])

    package var requests: [Request] { seen.withLock { $0 } }
    package var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    package init(_ respond: @escaping Respond) async throws {
        let box = Box()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(Handler(box: box))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        box.answer.withLock { answer in
            answer = { [weak self] request in
                let number = self?.seen.withLock {
                    $0.append(request)
                    return $0.count
                }
                return respond(request, number ?? 0)
            }
        }
    }

    package func close() async { try? await channel.close() }

    private final class Box: Sendable {
        let answer = Mutex<@Sendable (Request) -> Answer>({ _ in Answer(status: 500) })
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let box: Box
        private var request = Request(method: "", path: "", headers: [:], body: Data())

        init(box: Box) { self.box = box }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
                request = Request(
                    method: head.method.rawValue, path: head.uri,
                    headers: Dictionary(headers) { first, _ in first }, body: Data())
            case .body(let buffer): request.body += Data(buffer.readableBytesView)
            case .end:
                let answer = box.answer.withLock { $0 }(request)
                let loopContext = NIOLoopBound(context, eventLoop: context.eventLoop)
                let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(in: answer.delay) {
                    handler.value.write(answer, loopContext.value)
                }
            }
        }

        private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
            if answer.hangsUp {
                context.close(promise: nil)
                return
            }
            var headers = HTTPHeaders(answer.headers.map { ($0.key, $0.value) })
            headers.replaceOrAdd(name: "Content-Length", value: String(answer.body.count))
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if let pause = answer.drips { return drip(answer.body, pause, context) }
            if answer.stalls || answer.cutsOff {
                let half = ByteBuffer(bytes: answer.body.prefix(answer.body.count / 2))
                let sent = context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(half))))
                let loopContext = NIOLoopBound(context, eventLoop: context.eventLoop)
                if answer.cutsOff { sent.whenComplete { _ in loopContext.value.close(promise: nil) } }
                return
            }
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        private func drip(_ body: Data, _ pause: TimeAmount, _ context: ChannelHandlerContext) {
            guard let first = body.first, context.channel.isActive else {
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                return
            }
            context.writeAndFlush(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: [first])))), promise: nil)
            let loopContext = NIOLoopBound(context, eventLoop: context.eventLoop)
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: pause) {
                handler.value.drip(body.dropFirst(), pause, loopContext.value)
            }
        }
    }
}

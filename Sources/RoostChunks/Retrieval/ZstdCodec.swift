import CZstd
package import Foundation

/// libzstd: frames of RFC 8878, alone or relative to other bytes.
package enum ZstdCodec {
    /// - Parameter prefix: bytes that have much in common with `data`; the same ones are needed to get it
    ///   back.
    /// - Returns: `nil` where that is not smaller.
    package static func compress(_ data: Data, level: Int32, prefix: Data? = nil) throws -> Data? {
        guard !data.isEmpty, let context = ZSTD_createCCtx() else {
            if data.isEmpty { return nil }
            throw ChunkStorageError.storageUnavailable(reason: "there is no memory to compress a chunk")
        }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        if let prefix {
            // The window reaches from the end of the data to the beginning of the prefix.
            let reach = UInt64(prefix.count + data.count + 1)
            let log = Int32(max(10, min(27, 64 - (reach - 1).leadingZeroBitCount)))
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log)
            ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 0)
        }
        var output = Data(count: ZSTD_compressBound(data.count))
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let prefix else {
                    return ZSTD_compress2(
                        context, output.baseAddress, output.count, input.baseAddress, input.count)
                }
                return prefix.withUnsafeBytes { prefix in
                    ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count)
                    return ZSTD_compress2(
                        context, output.baseAddress, output.count, input.baseAddress, input.count)
                }
            }
        }
        guard ZSTD_isError(count) == 0 else {
            throw ChunkStorageError.storageUnavailable(reason: "a chunk cannot be compressed")
        }
        return count < data.count ? output.prefix(count) : nil
    }

    /// - Parameter size: how many bytes there are to come out; more or fewer are damage.
    /// - Returns: `nil` for what is damaged.
    package static func decompress(_ data: Data, size: Int, prefix: Data? = nil) throws -> Data? {
        guard let context = ZSTD_createDCtx() else {
            throw ChunkStorageError.storageUnavailable(reason: "there is no memory to read a chunk")
        }
        defer { ZSTD_freeDCtx(context) }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
        var output = Data(count: size)
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let prefix else {
                    return ZSTD_decompressDCtx(
                        context, output.baseAddress, output.count, input.baseAddress, input.count)
                }
                return prefix.withUnsafeBytes { prefix in
                    ZSTD_DCtx_refPrefix(context, prefix.baseAddress, prefix.count)
                    return ZSTD_decompressDCtx(
                        context, output.baseAddress, output.count, input.baseAddress, input.count)
                }
            }
        }
        return ZSTD_isError(count) == 0 && count == size ? output : nil
    }
}

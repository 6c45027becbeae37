import CZstd
package import Foundation

/// Compresses with libzstd into frames that RFC 8878 defines, optionally with a prefix that the decoder also
/// needs.
package enum ZstdCodec {
    /// The default level of libzstd.
    package static let defaultLevel: Int32 = 3

    /// The smallest window that libzstd accepts, as a power of two (`ZSTD_WINDOWLOG_MIN`).
    private static let minimumWindowLog = 10
    /// The largest window that a decoder accepts by default, 128 MiB (`ZSTD_WINDOWLOG_LIMIT_DEFAULT`).
    private static let maximumWindowLog = 27

    /// Compresses bytes into one frame.
    ///
    /// - Parameters:
    ///   - level: The compression level of libzstd.
    ///   - prefix: Bytes that have much in common with `data`. The same bytes must be passed to
    ///     ``decompress(_:size:prefix:)``.
    /// - Returns: `nil` if the frame would not be smaller than `data`.
    /// - Throws: ``ChunkStorageError/storageUnavailable(reason:)`` if memory is insufficient.
    package static func compress(_ data: Data, level: Int32, prefix: Data? = nil) throws -> Data? {
        guard !data.isEmpty, let context = ZSTD_createCCtx() else {
            if data.isEmpty { return nil }
            throw ChunkStorageError.storageUnavailable(reason: "not enough memory to compress a chunk")
        }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        if let prefix {
            // The window must span the prefix and the data, so that the end of the data can refer to the
            // beginning of the prefix.
            let span = UInt64(prefix.count + data.count + 1)
            let log = min(maximumWindowLog, 64 - (span - 1).leadingZeroBitCount)
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, Int32(max(minimumWindowLog, log)))
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
            throw ChunkStorageError.storageUnavailable(reason: "libzstd failed to compress a chunk")
        }
        return count < data.count ? output.prefix(count) : nil
    }

    /// Decompresses one frame.
    ///
    /// - Parameters:
    ///   - size: The exact size of the result.
    ///   - prefix: The bytes that were passed to ``compress(_:level:prefix:)``.
    /// - Returns: `nil` if the frame is corrupt or the result has a different size.
    /// - Throws: ``ChunkStorageError/storageUnavailable(reason:)`` if memory is insufficient.
    package static func decompress(_ data: Data, size: Int, prefix: Data? = nil) throws -> Data? {
        guard let context = ZSTD_createDCtx() else {
            throw ChunkStorageError.storageUnavailable(reason: "not enough memory to decompress a chunk")
        }
        defer { ZSTD_freeDCtx(context) }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(maximumWindowLog))
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

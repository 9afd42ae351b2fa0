#if !canImport(Darwin)
import Foundation
import Glibc
import HTTPSyntax
import SystemFiles

/// Loads `file:` URLs, in pieces, so that a file is never completely in memory.
final class FileURLProtocol: URLProtocol, PullingProtocol {
  static let pieceSize = 256 << 10
  private var descriptor: Int32 = -1

  deinit { if descriptor >= 0 { close(descriptor) } }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.isFileURL ?? false }

  override func startLoading() {
    guard let url = request.url else { return }
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return fail(errno, url) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return fail(errno, url) }
    guard status.st_mode & S_IFMT != S_IFDIR else { return fail(EISDIR, url) }
    let type = MediaType.type(ofFile: url.lastPathComponent)
    let length = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0 ? Int(status.st_size) : -1
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: type ?? "application/octet-stream", expectedContentLength: length,
        textEncodingName: nil),
      cacheStoragePolicy: .notAllowed)
  }

  func loadMore() {
    guard descriptor >= 0, let url = request.url else { return }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    let count = SystemCall.retrying { read(descriptor, &piece, Self.pieceSize) }
    if count < 0 { return fail(errno, url) }
    if count == 0 {
      close(descriptor)
      descriptor = -1
      client?.urlProtocolDidFinishLoading(self)
      return
    }
    client?.urlProtocol(self, didLoad: Data(piece.prefix(count)))
  }

  override func stopLoading() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private func fail(_ code: Int32, _ url: URL) {
    let kind: URLError.Code =
      switch code {
      case ENOENT, ENOTDIR: .fileDoesNotExist
      case EISDIR: .fileIsDirectory
      case EACCES, EPERM: .noPermissionsToReadFile
      default: .cannotOpenFile
      }
    client?.urlProtocol(
      self,
      didFailWithError: URLError(
        kind, message: "Could not read \(url.path): \(String(cString: strerror(code))).", url: url))
  }
}
#endif

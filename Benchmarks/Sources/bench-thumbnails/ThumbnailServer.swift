// A small thumbnail server with the URLs of thumbor, so that one client can use both:
//
//   GET /unsafe/fit-in/512x512/filters:quality(80)/HOST:PORT/PATH
//
// It fetches http://HOST:PORT/PATH, fits the picture into the size, sends a JPEG, and keeps nothing. It prints its port
// on the loopback interface, and runs until it is killed.
import Foundation
import HTTPService
import RetrieverImages

@main
struct ThumbnailServer {
  private let pipeline: ImagePipeline

  static func main() async throws {
    let thumbnails = ThumbnailServer()
    let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback()))
    FileHandle.standardOutput.write(Data("port \(server.port)\n".utf8))
    try await server.run { request in await thumbnails.answer(request) }
  }

  private init() {
    var configuration = ImagePipeline.Configuration()
    configuration.diskCache = nil
    configuration.memoryCacheLimit = 0
    pipeline = ImagePipeline(configuration)
  }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.method == .get else { return .methodNotAllowed(allowing: [.get]) }
    guard let wish = ThumbnailWish(request.pathSegments) else {
      return .text("Not found. This server only has thumbnails.\n", status: .notFound)
    }
    do {
      let image = try await pipeline.thumbnail(for: ImageRequest(url: wish.url, target: wish.target))
      let jpeg = try await image.data(as: .jpeg(quality: wish.quality))
      return HTTPResponse(fields: ["Content-Type": "image/jpeg"], body: .bytes(jpeg))
    } catch {
      return .text("\(error)\n", status: HTTPStatus(rawValue: 502))
    }
  }
}

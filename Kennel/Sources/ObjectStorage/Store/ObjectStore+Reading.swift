import Foundation
import HTTPSyntax
import Retriever

/// The properties of a stored object.
package struct ObjectProperties: Sendable, Hashable {
  /// The number of bytes of the complete object.
  package var size: Int64
  /// The entity tag, which changes with the contents.
  package var tag: String
  /// The type that was given with the contents.
  package var type: String?
  /// The other properties that were given with the contents, with lowercase names.
  package var metadata: [String: String]
}

/// An object that is being read.
package struct StoredObject: Sendable {
  /// The properties of the complete object.
  package var properties: ObjectProperties
  /// Which bytes ``chunks`` contains.
  package var range: Range<Int64>
  /// The bytes as they arrive. The sequence can be iterated once.
  package var chunks: ObjectChunks
}

extension ObjectStore {
  /// Returns the properties of an object; nil if it does not exist.
  package func properties(of key: String) async throws(ObjectStoreError) -> ObjectProperties? {
    do throws(StoreTransport.Failure) {
      let response = try await transport.perform(request("HEAD", key))
      return try properties(
        response.answer, size: response.answer.field("Content-Length").flatMap { Int64($0) })
    } catch {
      if error.isMissing { return nil }
      throw error.error
    }
  }

  /// Opens an object for reading. Returns when the first bytes can be read.
  ///
  /// If the connection is lost while the bytes are read, the rest is requested again, from the same version of the object.
  ///
  /// - Parameters:
  ///   - key: The name of the object.
  ///   - range: The bytes to read; nil for all. A range that ends after the object is cut.
  ///   - sha256: The hash of the complete object, which is compared at the end of a read without a range.
  /// - Throws: `noSuchObject`; `badRange` if the range begins after the object.
  package func open(
    _ key: String, range: Range<Int64>? = nil, sha256: [UInt8]? = nil
  ) async throws(ObjectStoreError) -> StoredObject {
    do throws(StoreTransport.Failure) {
      var request = try request("GET", key)
      if let range {
        guard range.lowerBound >= 0, !range.isEmpty else {
          throw StoreTransport.Failure(error: ObjectStoreError(.badRange, "The range of bytes is not valid."))
        }
        request.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
      }
      let (answer, bytes) = try await transport.open(request)
      let part = try part(answer, isPartial: range != nil)
      let properties = try properties(answer, size: part.size)
      return StoredObject(
        properties: properties, range: part.range,
        chunks: ObjectChunks(
          transport: transport, request: request, tag: properties.tag, range: part.range, first: bytes,
          sha256: range == nil ? sha256 : nil))
    } catch {
      throw error.error
    }
  }

  /// Reads an object into memory.
  ///
  /// - Parameters:
  ///   - key: The name of the object.
  ///   - maximumSize: The maximum number of bytes. A larger object is an error.
  ///   - sha256: The hash of the contents, if it is known. Other contents are an error.
  package func data(
    of key: String, maximumSize: Int64, sha256: [UInt8]? = nil
  ) async throws(ObjectStoreError) -> Data {
    let object = try await open(key, sha256: sha256)
    guard object.properties.size <= maximumSize else {
      throw ObjectStoreError(.tooLarge, "The object \(key) has more than \(maximumSize) bytes.")
    }
    var data = Data()
    data.reserveCapacity(Int(object.properties.size))
    var chunks = object.chunks.makeAsyncIterator()
    while let chunk = try await chunks.next(isolation: #isolation) { data += chunk }
    return data
  }

  private func properties(
    _ answer: StoreAnswer, size: Int64?
  ) throws(StoreTransport.Failure) -> ObjectProperties {
    guard let size, size >= 0 else {
      throw StoreTransport.Failure(
        error: ObjectStoreError(.badResponse, "The store did not send the size of the object."))
    }
    return ObjectProperties(
      size: size, tag: answer.tag, type: answer.field("Content-Type"), metadata: answer.metadata)
  }

  /// Returns which bytes a response contains, and the size of the complete object.
  private func part(
    _ answer: StoreAnswer, isPartial: Bool
  ) throws(StoreTransport.Failure) -> (range: Range<Int64>, size: Int64) {
    guard isPartial, answer.status == 206 else {
      let size = answer.field("Content-Length").flatMap { Int64($0) } ?? -1
      // A store that ignores the range would send all bytes.
      guard !isPartial, size >= 0 else {
        throw StoreTransport.Failure(
          error: ObjectStoreError(.badResponse, "The store did not send the requested range of the object."))
      }
      return (0..<size, size)
    }
    guard let part = ContentRange(answer.field("Content-Range") ?? ""), let size = part.length else {
      throw StoreTransport.Failure(
        error: ObjectStoreError(.badResponse, "The store sent a range that is not valid."))
    }
    return (part.range, size)
  }
}

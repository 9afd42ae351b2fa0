import Foundation

/// The objects of a location in the order of their names' bytes. Pages are requested while the sequence is read.
package struct ObjectListing: AsyncSequence, Sendable {
  package typealias Element = ListedObject
  package typealias Failure = ObjectStoreError

  let store: ObjectStore
  let prefix: String
  let after: String?

  /// Returns an iterator from the beginning.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listing: self) }

  /// The iterator, which has one page in memory.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let listing: ObjectListing
    private var page: ArraySlice<ListedObject> = []
    private var continuation: String?
    private var isLast = false

    fileprivate init(listing: ObjectListing) { self.listing = listing }

    /// Returns the next object, or nil at the end.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ObjectStoreError) -> ListedObject? {
      // A store may send empty pages, but not the same continuation again.
      while page.isEmpty, !isLast {
        let list = try await listing.store.page(
          prefix: listing.prefix, after: listing.after, continuation: continuation)
        guard list.continuation == nil || list.continuation != continuation else {
          throw ObjectStoreError(.badResponse, "The store sent the same page of a list twice.")
        }
        page = list.objects[...]
        continuation = list.continuation
        isLast = list.continuation == nil
      }
      return page.popFirst()
    }
  }
}

extension ObjectStore {
  /// Lists the objects whose names begin with a text.
  ///
  /// - Parameters:
  ///   - prefix: The text; empty for all objects of the location.
  ///   - key: Only objects with greater names are listed.
  package func objects(prefix: String = "", after key: String? = nil) -> ObjectListing {
    ObjectListing(store: self, prefix: prefix, after: key)
  }

  func page(
    prefix: String, after: String?, continuation: String?, limit: Int = 1000
  ) async throws(ObjectStoreError) -> ObjectList {
    var query = [
      ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(limit)),
      ("prefix", location.prefix + prefix),
    ]
    if let continuation {
      query.append(("continuation-token", continuation))
    } else if let after {
      query.append(("start-after", location.prefix + after))
    }
    let request = StoreRequest(method: "GET", key: "", query: query, subject: "the list of objects")
    do throws(StoreTransport.Failure) {
      let response = try await transport.perform(request)
      do throws(ObjectStoreError) {
        return try ObjectList(response.body, prefix: location.prefix)
      } catch {
        throw StoreTransport.Failure(error: error)
      }
    } catch {
      throw error.error
    }
  }
}

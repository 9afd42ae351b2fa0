extension KennelStore {
  /// How many bytes the photos of users may take.
  package var quotas: Quotas { Quotas(database) }
}

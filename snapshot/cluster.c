/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters of a snapshot. In: the [clusters] section of snapshot.ini, devices and cores. Out: which
 * devices belong together. Snapshot format 1.0, section 3.1.3.
 */
#include "snapshot/load.h"

/* By name, or else without regard to case; NULL if there is none. */
static struct snap_device *find_device(const struct snapshot *snapshot, struct str name)
{
	struct snap_device *found = NULL;

	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct snap_device *device = &snapshot->devices[i];

		if (str_eq(device->name, name))
			return device;
		if (!found && str_eq_nocase(device->name, name))
			found = device;
	}
	return found;
}

static const struct snap_cluster *find_cluster(const struct snapshot *snapshot, struct str name)
{
	for (size_t i = 0; i < snapshot->cluster_count; i++) {
		if (str_eq(snapshot->clusters[i].name, name))
			return &snapshot->clusters[i];
	}
	return NULL;
}

/* The cluster that has the device already, or NULL. */
static const struct snap_cluster *cluster_of(const struct snapshot *snapshot,
                                             const struct snap_device *device)
{
	for (size_t i = 0; i < snapshot->cluster_count; i++) {
		const struct snap_cluster *cluster = &snapshot->clusters[i];

		for (size_t j = 0; j < cluster->device_count; j++) {
			if (cluster->devices[j] == device)
				return cluster;
		}
	}
	return NULL;
}

static void add_device(struct loader *loader, struct snap_cluster *cluster, struct str name)
{
	struct snapshot *snapshot = loader->snapshot;
	const struct snap_device *device = find_device(snapshot, name);
	const struct snap_cluster *other;

	if (!device) {
		diag_warning(loader->diags, cluster->place,
		             "cluster \"%.*s\": there is no device \"%.*s\"",
		             STR_ARG(cluster->name), STR_ARG(name));
		return;
	}
	other = cluster_of(snapshot, device);
	if (other) {
		diag_warning(loader->diags, cluster->place,
		             "cluster \"%.*s\": device \"%.*s\" is in cluster \"%.*s\" already",
		             STR_ARG(cluster->name), STR_ARG(name), STR_ARG(other->name));
		return;
	}
	cluster->devices[cluster->device_count++] = device;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		if (snapshot->cores[i].device == device)
			snapshot->cores[i].cluster = cluster->name;
	}
}

static enum status load_cluster(struct loader *loader, const struct ini_file *head,
                                const struct ini_entry *entry)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_cluster *cluster = &snapshot->clusters[snapshot->cluster_count];
	const struct snap_cluster *first = find_cluster(snapshot, entry->key);
	struct str rest = ini_unquote(entry->value);

	if (first) {
		diag_warning(loader->diags, ini_place(head, entry->line),
		             "cluster \"%.*s\" is ignored: the first of that name is in line %llu",
		             STR_ARG(entry->key), (unsigned long long)first->place.line);
		return STATUS_OK;
	}
	cluster->name = entry->key;
	cluster->place = ini_place(head, entry->line);
	TRY(load_array(loader, snapshot->device_count, sizeof(struct snap_device *),
	               (void **)&cluster->devices));
	snapshot->cluster_count++;
	while (rest.p)
		add_device(loader, cluster, str_next_part(&rest, ','));
	return STATUS_OK;
}

enum status load_clusters(struct loader *loader, const struct ini_file *head,
                          const struct ini_section *section)
{
	TRY(load_array(loader, section->entry_count, sizeof(*loader->snapshot->clusters),
	               (void **)&loader->snapshot->clusters));
	for (size_t i = 0; i < section->entry_count; i++)
		TRY(load_cluster(loader, head, &section->entries[i]));
	return STATUS_OK;
}

enum status load_one_cluster(struct loader *loader)
{
	struct snapshot *snapshot = loader->snapshot;
	struct snap_cluster *cluster;

	if (snapshot->clusters || snapshot->core_count == 0)
		return STATUS_OK;
	TRY(load_array(loader, 1, sizeof(*cluster), (void **)&snapshot->clusters));
	cluster = snapshot->clusters;
	cluster->name = STR("");
	TRY(load_array(loader, snapshot->core_count, sizeof(struct snap_device *),
	               (void **)&cluster->devices));
	for (size_t i = 0; i < snapshot->core_count; i++)
		cluster->devices[cluster->device_count++] = snapshot->cores[i].device;
	snapshot->cluster_count = 1;
	return STATUS_OK;
}

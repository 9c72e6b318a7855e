#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QAbstractListModel>

#include <vector>

namespace lowtide::ui {

/// The runs as a list: the running one, those that wait in their order, then ended ones, the newest
/// first. Waiting ones can be dragged to another place.
class QueueRows : public QAbstractListModel {
    Q_OBJECT

public:
    explicit QueueRows(RunQueue& queue, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    bool dropMimeData(const QMimeData* data,
                      Qt::DropAction action,
                      int row,
                      int column,
                      const QModelIndex& parent) override;

    /// nullptr: no such row.
    [[nodiscard]] const QueuedRun* runAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(quint64 id) const;

    /// `index` must be of a row.
    [[nodiscard]] quint64 idAt(const QModelIndex& index) const {
        return ids_.at(static_cast<size_t>(index.row()));
    }

private:
    void rebuild();

    RunQueue& queue_;
    std::vector<quint64> ids_;
};

/// "running, 45 %", "done in 12.4 s, 2 files", "nothing to do: every result was kept".
[[nodiscard]] QString stateText(const QueuedRun& run);

}  // namespace lowtide::ui

#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/studio/document_file.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <string>

namespace lowtide::ui {

/// Shows on nodes that read an image which one is chosen, before any run. Files are read on
/// another thread.
class InputImages : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    InputImages(GraphModel& model,
                NodeStatuses& statuses,
                const DocumentFile& file,
                QObject* parent = nullptr);

private:
    void look();
    void show(const std::string& node, const QString& path);

    GraphModel& model_;
    NodeStatuses& statuses_;
    const DocumentFile& file_;
    std::map<std::string, QString> shown_;  ///< by node: the file that is shown, or being read
};

}  // namespace lowtide::ui

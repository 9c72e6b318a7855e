#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/studio/document_file.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <optional>
#include <string>

namespace lowtide::ui {

/// Shows on nodes that read an image which one is chosen, before any run. Files are read on
/// another thread, and again where they were changed when the user comes back to the program.
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
    struct Read;
    void take(const std::string& node, const QString& path, const Read& read);

    GraphModel& model_;
    NodeStatuses& statuses_;
    const DocumentFile& file_;

    /// The file that a node shows, or that is being read.
    struct Chosen {
        QString path;
        std::optional<files::FileIdentity> file{};  ///< as it was read
    };

    std::map<std::string, Chosen> shown_;  ///< by node
};

}  // namespace lowtide::ui

#pragma once

#include "plugin/host_api/host.hpp"

#include <QTextBrowser>

namespace lowtide::ui {

/// The help page of a node type: resources/help/<id>.md, and what its description says where there
/// is no page.
class InspectorHelp : public QTextBrowser {
    Q_OBJECT

public:
    explicit InspectorHelp(QWidget* parent = nullptr);

    /// The folder of help pages.
    void setFolder(const QString& folder);
    void showNode(const NodeDesc& desc);
    void showText(const QString& markdown);

private:
    QString folder_;
};

}  // namespace lowtide::ui

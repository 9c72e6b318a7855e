#pragma once

#include <QString>
#include <QWidget>

#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Where in groups the user works: "Graph > Upscale > Detail", in a corner of the canvas. Hidden
/// outside of groups.
class Breadcrumbs : public QWidget {
    Q_OBJECT

public:
    explicit Breadcrumbs(QWidget* canvas);

    /// Ids and titles of the groups, the outermost first.
    void showPath(const std::vector<std::pair<std::string, QString>>& groups);

Q_SIGNALS:
    /// A group, or (empty) the graph: what is opened within is to be folded.
    void chosen(const std::string& group);

private:
    void addCrumb(const std::string& group, const QString& title, bool isLast);

    std::vector<std::pair<std::string, QString>> shown_;
};

}  // namespace lowtide::ui

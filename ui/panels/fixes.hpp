#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"

#include <QFrame>
#include <QString>

#include <optional>
#include <vector>

class QLabel;

namespace lowtide::ui {

/// A change of the graph that removes an issue.
struct Fix {
    QString label;
    Edit edit;  ///< empty: the user is asked where the file is that the parameter names
    std::optional<NamedModel> convert{};  ///< or how it is to be written again, smaller
};

/// Changes that remove the issue, the cheapest first; none where the user has to decide. Each is
/// computed from the graph as it stands. `canConvert`: there is somebody who writes models again.
[[nodiscard]] std::vector<Fix> fixesFor(const Issue& issue,
                                        const graph::Document& document,
                                        const graph::Catalog& catalog,
                                        bool canConvert = false);
/// Applies a fix that was offered, if the graph as it stands now still has the node, the value or
/// the budget that it changes; false: it has not, and nothing has changed.
bool applyFix(GraphModel& model, const Issue& issue, const Fix& offered);

/// A sentence on a soft ground, with changes of the graph as buttons.
class Notice : public QFrame {
    Q_OBJECT

public:
    enum class Tone { Info, Warning, Error };

    explicit Notice(const char* name, QWidget* parent = nullptr);
    /// Hidden when the text is empty. The same once more changes nothing: a button that is pressed,
    /// or has the focus, is kept.
    void showMessage(Tone tone, const QString& text, std::vector<Fix> fixes = {});

Q_SIGNALS:
    void fixChosen(const lowtide::ui::Fix& fix);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Tone tone_ = Tone::Info;
    QLabel* text_;
    QWidget* buttons_;
    std::vector<Fix> fixes_;
};

}  // namespace lowtide::ui

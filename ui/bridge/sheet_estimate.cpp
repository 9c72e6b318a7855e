#include "ui/bridge/sheet_estimate.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"

namespace lowtide::ui {

/// What the module says of one cell.
struct SheetEstimate::Planned {
    double seconds = 0;
    bool isBusy = false;
    Issues issues;

    static Planned refused(const Error& error) {
        return {.issues = reworded({{.code = "invalid_input", .message = error.message()}})};
    }

    /// On the other thread.
    static Planned askedOf(Runner& runner, const std::string& graph, const std::string& options) {
        std::string text;
        const Status status = runner.plan(graph, options, text);
        const Json answer = answerOf(text);
        Planned planned;
        if (status != Status::Ok) {
            planned.issues = issuesFromJson(memberIn(answer, "issues"));
            planned.isBusy = !planned.issues.empty() && planned.issues.front().code == "busy";
            return planned;
        }
        const Json& stages = memberIn(memberIn(answer, "plan"), "stages");
        for (const Json& stage : stages.is_array() ? stages : Json::array()) {
            planned.seconds += numberIn(stage, "seconds");
        }
        return planned;
    }
};

SheetEstimate::SheetEstimate(Runner& runner, Background& background, QObject* parent)
    : QObject(parent),
      runner_(runner),
      question_(std::make_shared<std::atomic<int>>(0)),
      background_(background) {}

SheetEstimate::~SheetEstimate() {
    forget();
}

void SheetEstimate::forget() {
    ++*question_;
    forecast_ = {};
}

void SheetEstimate::ask(const SheetPlan& plan,
                        const graph::Document& document,
                        const graph::Catalog& catalog,
                        const Json& options) {
    forget();
    forecast_.cells = plan.cells();

    struct Question {
        SheetPlan plan;
        graph::Document document;
        std::string options;
    };

    const auto asked = std::make_shared<const Question>(Question{plan, document, options.dump()});
    const auto known =
        std::make_shared<const graph::Catalog>(catalog.nodes());  // of the other thread
    const int number = *question_;
    for (size_t cell = 0; cell < plan.cells(); ++cell) {
        background_.run(
            [this, number, cell, asked, known, &runner = runner_, question = question_]()
                -> Background::Answer {
                if (number != *question) {
                    return {};
                }
                Planned planned;
                try {
                    planned = Planned::askedOf(
                        runner,
                        graph::toText(cellOf(asked->plan, cell, asked->document, *known)),
                        asked->options);
                } catch (const Error& error) {
                    planned = Planned::refused(error);
                }
                return [this, number, question, title = asked->plan.cellTitle(cell), planned] {
                    if (number == *question) {  // else `this` may be gone
                        take(title, planned);
                    }
                };
            });
    }
}

void SheetEstimate::take(const QString& title, const Planned& planned) {
    ++forecast_.planned;
    forecast_.seconds += planned.seconds;
    const Issue* error = firstErrorIn(planned.issues);
    if (planned.isBusy) {
        ++forecast_.unknown;
    } else if (error) {
        if (++forecast_.refused == 1) {
            forecast_.problem =
                tr("%1: %2").arg(title, QString::fromStdString(error->message.str()));
        }
    }
    Q_EMIT changed(forecast_);
}

}  // namespace lowtide::ui

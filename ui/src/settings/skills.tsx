/** The skills of the current pet and those all pets share. */
import type { SkillInfo } from "../bindings";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { hasKey, t } from "../texts";

export function Skills() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listSkills());
  const skills = loaded.value?.skills;

  return (
    <section class="skills" aria-label={t("ui.skills.title")}>
      <h3 data-tip={t("ui.skills.note")}>{t("ui.skills.title")}</h3>
      <Loading of={loaded} lines={2} />
      <ul class="cards">
        {skills?.map((skill) => (
          <Skill key={`${skill.origin} ${skill.name}`} skill={skill} />
        ))}
      </ul>
      {skills?.length === 0 && <p class="quiet-text">{t("ui.skills.none")}</p>}
      <p class="note">
        {t("ui.skills.where")} <code>{`${store.app.value?.home ?? ""}/skills/`}</code>
      </p>
    </section>
  );
}

function Skill({ skill }: { skill: SkillInfo }) {
  const { name, description, origin, problem } = skill;
  return (
    <li class={problem ? "card-row skill broken" : "card-row skill"}>
      <Icon name={problem ? "warning" : "spark"} />
      <div class="card-main">
        <span class="title">
          {name}
          <span class="category">{t(origin === "pet" ? "ui.skills.own" : "ui.skills.shared")}</span>
        </span>
        {description && <span class="quiet-text">{description}</span>}
        {problem && <span class="error-text">{wrong(problem)}</span>}
      </div>
    </li>
  );
}

function wrong(problem: string): string {
  const key = `ui.skill.${problem}`;
  return hasKey(key) ? t(key) : t("ui.skill.other", { problem });
}

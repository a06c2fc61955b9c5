-- Persons of an OMOP common data model (5.4) with one column per measurement: the last value of
-- each, in the unit most values have. OMOP tables are tall; the pivot belongs in the query.
-- Concepts: 8507 male, 8532 female; 3004249 systolic pressure, 3012888 diastolic pressure,
-- 3038553 body mass index, 3004501 glucose, 3016723 creatinine, 3004410 haemoglobin A1c.
WITH latest AS (
    SELECT DISTINCT ON (person_id, measurement_concept_id)
        person_id, measurement_concept_id, value_as_number
    FROM measurement
    WHERE value_as_number IS NOT NULL
      AND measurement_concept_id IN (3004249, 3012888, 3038553, 3004501, 3016723, 3004410)
    ORDER BY person_id, measurement_concept_id, measurement_date DESC, measurement_id DESC
)
SELECT
    person.person_source_value AS id,
    2024 - person.year_of_birth AS age,
    CASE person.gender_concept_id WHEN 8507 THEN 'male' WHEN 8532 THEN 'female' END AS sex,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3004249) AS systolic,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3012888) AS diastolic,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3038553) AS bmi,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3004501) AS glucose,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3016723) AS creatinine,
    max(value_as_number) FILTER (WHERE measurement_concept_id = 3004410) AS hba1c
FROM person
LEFT JOIN latest USING (person_id)
GROUP BY person.person_id, person.person_source_value, person.year_of_birth,
         person.gender_concept_id
ORDER BY person.person_id
